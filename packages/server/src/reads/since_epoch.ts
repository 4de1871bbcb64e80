/** An instant or a day, as text; no record is older than 1970, and the database knows no year 0000. */
export const sinceEpoch = (text: string): string => text < "1970" ? `1970-01-01${text.slice(10)}` : text;
