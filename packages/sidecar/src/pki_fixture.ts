import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Makes certificates with openssl, as a partner and an external CA would. */

export interface Identity {
  readonly cert: string;
  readonly key: string;
  readonly serial: string;
  /** Lower-case hex of the SHA-256 of the certificate's DER. */
  readonly hash: string;
}

export interface TestAuthority {
  readonly cert: string;
  issue(name: string, usage?: "clientAuth" | "serverAuth"): Identity;
  revocationList(revoked: readonly Identity[]): string;
}

const EC = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"];

const openssl = (...args: string[]): string =>
  execFileSync("openssl", args, { encoding: "utf8", stdio: "pipe" });

export function createTestAuthority(folder: string): TestAuthority {
  mkdirSync(folder, { recursive: true });
  const at = (file: string): string => join(folder, file);
  openssl(
    ...["req", "-x509", "-newkey", ...EC, "-nodes", "-days", "2", "-subj", "/CN=Test CA"],
    ...["-addext", "keyUsage=critical,keyCertSign,cRLSign", "-keyout", at("ca.key"), "-out", at("ca.pem")],
  );
  let count = 0;
  return {
    cert: readFileSync(at("ca.pem"), "utf8"),
    issue(subject, usage = "clientAuth") {
      const file = (ending: string): string => at(`${count}.${ending}`);
      count++;
      openssl(
        ...["req", "-new", "-newkey", ...EC, "-nodes", "-subj", `/CN=${subject}`],
        ...["-keyout", file("key"), "-out", file("csr")],
      );
      writeFileSync(file("ext"), `extendedKeyUsage=${usage}\nsubjectAltName=DNS:${subject}\n`);
      openssl(
        ...["x509", "-req", "-in", file("csr"), "-CA", at("ca.pem"), "-CAkey", at("ca.key")],
        ...["-days", "1", "-extfile", file("ext"), "-out", file("pem")],
      );
      const output = openssl("x509", "-in", file("pem"), "-noout", "-serial", "-fingerprint", "-sha256");
      const [, serial = "", hash = ""] = /serial=([0-9A-F]+)[^=]*=([0-9A-F:]+)/i.exec(output) ?? [];
      return {
        cert: readFileSync(file("pem"), "utf8"),
        key: readFileSync(file("key"), "utf8"),
        serial,
        hash: hash.replaceAll(":", "").toLowerCase(),
      };
    },
    revocationList(revoked) {
      // openssl's database of issued certificates: status, expiry, revocation time, serial, file, subject.
      writeFileSync(
        at("index"),
        revoked.map(({ serial }) => `R\t491231235959Z\t260101000000Z\t${serial}\tunknown\t/CN=x\n`).join(""),
      );
      writeFileSync(at("ca.cnf"), `[ca]\ndefault_ca=it\n[it]\ndatabase=${at("index")}\ndefault_md=sha256\n`);
      return openssl(
        ...["ca", "-gencrl", "-config", at("ca.cnf"), "-keyfile", at("ca.key"), "-cert", at("ca.pem")],
        ...["-crldays", "1"],
      );
    },
  };
}
