/**
 * The server's function that waits for the standby. Its warning is recognized by this name, because the text
 * depends on the server's language.
 */
const STANDBY_WAIT = "SyncRepWaitForLSN";

/** The error code for a write that is committed on this server, but perhaps not on the standby. */
export const UNREPLICATED = "COMMIT_UNREPLICATED";

export const unreplicatedError = (): Error =>
  Object.assign(new Error("The commit may not be on the synchronous standby."), { code: UNREPLICATED });

/**
 * Whether Postgres warns that it committed without the synchronous standby, because the wait was cancelled.
 */
export const isCancelledWait = ({ routine }: { readonly routine?: string }): boolean =>
  routine === STANDBY_WAIT;
