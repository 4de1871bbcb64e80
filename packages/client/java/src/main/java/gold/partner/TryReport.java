package gold.partner;

import java.time.Duration;

/**
 * The result of one try of a call, for logs and metrics. It never has a secret, a token or a body.
 *
 * @param operation the operation's name in the API description
 * @param tries 1 at the first try
 * @param duration how long the try took
 * @param status the status of the reply; 0: no reply arrived
 * @param code null if the try succeeded
 * @param requestId null if the reply had none
 * @param retryIn the pause before the next try; null if there is none
 */
public record TryReport(
    String operation, int tries, Duration duration, int status, String code, String requestId, Duration retryIn) {}
