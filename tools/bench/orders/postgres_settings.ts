/**
 * With these settings, a checkpoint runs only when it is requested. A checkpoint at any other time would slow
 * down some turns and not others.
 */
export const POSTGRES_SETTINGS = {
  max_connections: "400",
  // A quarter of the memory of a machine with 8 GB. With less, index leaves would be read from outside the
  // shared buffers, because nonces and keys are random.
  shared_buffers: "2GB",
  max_wal_size: "8GB",
  min_wal_size: "8GB",
  checkpoint_timeout: "1h",
};
