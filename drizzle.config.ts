import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./packages/server/src/database/schema/mod.ts",
  out: "./packages/server/migrations",
  schemaFilter: ["gold"],
  casing: "snake_case",
});
