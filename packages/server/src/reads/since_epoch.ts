/** Replaces a date before 1970 by 1970-01-01. No record is older, and Postgres rejects the year 0000. */
export const sinceEpoch = (text: string): string => text < "1970" ? `1970-01-01${text.slice(10)}` : text;
