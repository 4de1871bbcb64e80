import { Buffer } from "node:buffer";
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * A fixture that writes X.509 server certificates by hand, both valid and invalid, to test the webhook
 * sender.
 */

export interface Issued {
  readonly cert: string;
  readonly key: string;
}

export interface TestAuthority {
  /** The authority's own certificate as PEM. */
  readonly ca: string;
  issue(names: readonly string[], beginsInDays?: number, endsInDays?: number): Issued;
  /** Issues a certificate whose subject has `commonName`. Its alternative names are only those in `names`. */
  issueByCommonName(commonName: string, names?: readonly string[]): Issued;
}

const DAY_MS = 86_400_000;
const ECDSA_SHA256 = "06082a8648ce3d040302";
const COMMON_NAME = "0603550403";
const BASIC_CONSTRAINTS = "0603551d13";
const ALTERNATIVE_NAMES = "0603551d11";

export function createTestAuthority(): TestAuthority {
  const own = newKeys();
  const name = distinguishedName("Test authority");
  const constraints = sequence(
    oid(BASIC_CONSTRAINTS),
    der(1, Buffer.of(255)),
    der(4, sequence(der(1, Buffer.of(255)))),
  );
  const ca = certify({ name, signer: own.privateKey }, name, own.publicKey, [-1, 1], constraints);
  const issue = (commonName: string, names: readonly string[], days: readonly [number, number]) => {
    const { publicKey, privateKey } = newKeys();
    const subject = distinguishedName(commonName);
    const extensions = names.length === 0 ? [] : [alternativeNames(names)];
    return {
      cert: certify({ name, signer: own.privateKey }, subject, publicKey, days, ...extensions),
      key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    };
  };
  return {
    ca,
    issue: (names, beginsInDays = -1, endsInDays = 1) =>
      issue(names[0] ?? "", names, [beginsInDays, endsInDays]),
    issueByCommonName: (commonName, names = []) => issue(commonName, names, [-1, 1]),
  };
}

const alternativeNames = (names: readonly string[]) => {
  const each = names.map((name) =>
    isIP(name) === 0 ? der(0x82, Buffer.from(name)) : der(0x87, Buffer.from(ipaddr.parse(name).toByteArray()))
  );
  return sequence(oid(ALTERNATIVE_NAMES), der(4, sequence(...each)));
};

const newKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

function certify(
  issuer: { readonly name: Buffer; readonly signer: KeyObject },
  subject: Buffer,
  publicKey: KeyObject,
  validDays: readonly [number, number],
  ...extensions: Buffer[]
): string {
  const algorithm = sequence(oid(ECDSA_SHA256));
  const content = sequence(
    der(0xa0, der(2, Buffer.of(2))),
    der(2, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    issuer.name,
    sequence(...validDays.map((days) => der(0x17, Buffer.from(utcTime(days))))),
    subject,
    publicKey.export({ type: "spki", format: "der" }) as Buffer,
    ...(extensions.length === 0 ? [] : [der(0xa3, sequence(...extensions))]),
  );
  const signature = Buffer.concat([Buffer.of(0), sign("sha256", content, issuer.signer)]);
  const base64 = sequence(content, algorithm, der(3, signature)).toString("base64");
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{1,64}/g, "$&\n")}-----END CERTIFICATE-----\n`;
}

const distinguishedName = (commonName: string) =>
  sequence(der(0x31, sequence(oid(COMMON_NAME), der(0x0c, Buffer.from(commonName)))));

/** YYMMDDHHMMSSZ. */
const utcTime = (days: number) =>
  `${new Date(Date.now() + days * DAY_MS).toISOString().slice(2, 19).replace(/[-:T]/g, "")}Z`;

const oid = (hex: string) => Buffer.from(hex, "hex");
const sequence = (...parts: Buffer[]) => der(0x30, Buffer.concat(parts));

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
