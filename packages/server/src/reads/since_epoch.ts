/** Replaces a date before 1970 by 1970-01-01, because Postgres rejects the year 0000. No record is older. */
export const sinceEpoch = (text: string): string => text < "1970" ? `1970-01-01${text.slice(10)}` : text;
