package gold.partner;

/** Signs in place of a key in a file, for example with your HSM. */
@FunctionalInterface
public interface Signer {
  /**
   * Signs bytes with ES256.
   *
   * @param data the bytes to sign; the signer hashes them with SHA-256
   * @return the 64 bytes r and s, not DER
   * @throws Exception if the key cannot be used; the call then fails with {@code signing_failed}
   */
  byte[] sign(byte[] data) throws Exception;
}
