export * from "./namespace.ts";
export * from "./books.ts";
export * from "./money.ts";
export * from "./registry.ts";
export * from "./delivery.ts";
export * from "./allowance.ts";
