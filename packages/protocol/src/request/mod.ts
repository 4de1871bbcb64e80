export type { BytePrimitives } from "./byte_primitives.ts";
export { requestSigner } from "./request_signer.ts";
export type { RequestToSign, SignatureHeaders, SigningParts, SignRequest } from "./request_signer.ts";
