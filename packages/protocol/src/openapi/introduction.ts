/** What an integrator must know before the first call; CommonMark. */
export const INTRODUCTION: string = `Buy and sell physical-backed 24K gold against a prefunded SAR account.

**Identity.** Every request comes over mutual TLS with a client certificate that is registered for you, from a registered address.
Business operations also need an access token (\`POST /oauth/token\`), which is bound to that certificate and lives for 600 seconds.

**Signed requests.** Orders, withdrawals and the probe carry \`X-Timestamp\`, \`X-Nonce\` and \`X-JWS-Signature\`: ES256 over five lines,
joined by line feeds: the method, the whole URL as you send it, the lower-case hex SHA-256 of the body, the timestamp, the nonce.
\`POST /v1/signed-probe\` checks your signature step by step.

**Idempotency.** Every write needs an \`Idempotency-Key\`. It never expires: the first success is 201, every repeat 200 with the
same bytes and \`Idempotent-Replayed: true\`. A business refusal binds its key permanently, too; \`detail\` ends with what to do next. If no
reply reached you, repeat the request with the same key and a fresh signature.

**Quantities.** SAR has 2 decimals, gold and prices per gram have 4. Replies have them as JSON numbers of at most 15 significant
digits, which a double carries; read them as decimals. A request may have a number or a decimal string. oapi-codegen makes \`float64\` of
them in Go, and openapi-generator \`BigDecimal\` in Java, \`decimal\` in C#, and in Python \`Decimal\` for requests and \`float\` for
replies: each holds every digit. Zero, a negative number or more decimals get 400; a well-formed number outside your limits gets 422.

**Methods.** HEAD works wherever GET does and returns no body. A method that a path does not support gets 405 with \`Allow\`.

**Bodies.** I-JSON in UTF-8, at most 65,536 bytes. Unknown or duplicate members and unknown query parameters are refused. Replies may
gain members, and lists of codes and types may grow: ignore what you do not know.

**Refusals.** \`application/problem+json\` (RFC 9457). Decide by \`code\`; \`retryable\` says whether the same request may succeed
later, \`detail\` says what to change, \`request_id\` names the reply to the operator.

**Instants** in replies are RFC 3339 in UTC, with \`Z\` and milliseconds. A query may have any offset and precision; write the plus
of an offset as \`%2B\`. A date in place of an instant is the beginning of that day in Asia/Riyadh. **Ids** are a prefix and a UUIDv7.

**Changes.** Within v1 there are only additions. A removal is announced by \`Deprecation\` and \`Sunset\` at least 12 months in advance.`;
