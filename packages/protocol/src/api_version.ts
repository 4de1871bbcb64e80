/** The version of the contract. It changes only if a program that follows the description could break. */
export const API_VERSION = "1";
