import { z } from "zod";
import { sha256Hex } from "./text.ts";

export const chainKeyReply = z.object({
  client_number: z.int().meta({ description: "Your number in the lines of your hash chain." }),
  chain_key: sha256Hex.meta({
    description: "Your chain key: 32 bytes in lower-case hex. The salts of your lines are derived from it.",
  }),
}).meta({ id: "ChainKey", description: "The values that you need to compute the lines of your hash chain." });
export type ChainKeyReply = z.infer<typeof chainKeyReply>;
