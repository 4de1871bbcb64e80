import type { Invocation } from "./command.ts";
import { EXIT, Failure, usage } from "./failure.ts";
import { areSignaturesDemanded, demandOperatorKeys } from "./operator_keys_file.ts";
import type { SignText } from "./ssh_key.ts";

/** How a person signs, and the deployment that the texts name. */
export interface Signing {
  readonly deployment: string;
  readonly sign: SignText;
}

/**
 * Finds the person's SSH key, and says for which deployment the person signs. Returns undefined if approvals
 * need no signatures here. The deployment is that of the person's own file: a superuser could write the id of
 * another deployment into the database, and take the signature there. Without a file, the id must be of a
 * sandbox.
 */
export async function openSigning(invocation: Invocation): Promise<Signing | undefined> {
  const { sql, deployment } = await invocation.db();
  if (!await areSignaturesDemanded(sql)) return undefined;
  const trusted = await demandOperatorKeys(invocation);
  const { id, publicBaseUrl } = await deployment();
  const own = trusted?.deployment ?? { id, baseUrl: publicBaseUrl, name: "sandbox" };
  if (own.id !== id) {
    throw new Failure(
      EXIT.refused,
      "other_deployment",
      `The file of the operators' keys names the deployment ${own.id} (${own.name}, ${own.baseUrl}), but the database is the deployment ${id}. Nothing was signed. Check the database URL and the file.`,
    );
  }
  if (!trusted && !id.startsWith("sandbox-")) {
    throw usage(
      `OPERATOR_KEYS must be the absolute path of the file with the operators' first keys: the database says that it is the deployment ${id}, and without the file gold signs only for a sandbox.`,
    );
  }
  const sign = await invocation.signer();
  invocation.progress(`You sign for ${own.name}, ${own.baseUrl}, deployment ${own.id}.`);
  return { deployment: own.id, sign };
}
