import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { exampleArguments } from "../../tools/testing/example_program.ts";
import type { CsharpBuild } from "../client/csharp_client_fixture.ts";
import type { JavaBuild } from "../client/java_client_fixture.ts";
import type { PythonEnvironment } from "../client/python_client_fixture.ts";
import { temporaryFolder } from "../../tools/testing/temporary_folder.ts";

const BLOCK_END = "━━━";

/**
 * Runs the TypeScript blocks of a page as one program, as the partner whose credentials.json is named.
 * Returns what each block printed.
 */
export async function runTypeScript(blocks: readonly string[], credentials: string): Promise<string[]> {
  const program = blocks.map((code) => `${code}\nconsole.log("${BLOCK_END}");\n`).join("");
  const folder = temporaryFolder("gold-typescript");
  const file = join(folder, "program.mts");
  await writeFile(file, program);
  const { stdout } = await promisify(execFile)(process.execPath, await exampleArguments(file), {
    env: { ...process.env, GOLD_CREDENTIALS: credentials, NO_COLOR: "1" },
    timeout: 180_000,
    // The samples print the whole API description and the reference.
    maxBuffer: 2 ** 24,
  });
  return stdout.split(`${BLOCK_END}\n`).slice(0, -1);
}

/** Runs the Python blocks of a page in the same way, in this Python environment. */
export async function runPython(
  python: PythonEnvironment,
  blocks: readonly string[],
  credentials: string,
): Promise<string[]> {
  const program = blocks.map((code) => `${code}\nprint("${BLOCK_END}")\n`).join("");
  const file = join(python.folder, "program.py");
  await writeFile(file, program);
  const printed = await python.run([file], { GOLD_CREDENTIALS: credentials });
  return printed.split(`${BLOCK_END}\n`).slice(0, -1);
}

/** Runs the Java blocks of a page in the same way: imports at the top, and the other lines in main. */
export async function runJava(
  build: JavaBuild,
  blocks: readonly string[],
  credentials: string,
): Promise<string[]> {
  const isImport = (line: string) => line.startsWith("import ");
  const imports = blocks.flatMap((code) => code.split("\n").filter(isImport));
  const statements = blocks.map((code) => {
    const lines = code.split("\n").filter((line) => !isImport(line));
    return `${lines.join("\n")}\nSystem.out.println("${BLOCK_END}");\n`;
  });
  const file = join(temporaryFolder("gold-java-program"), "Program.java");
  const main = `public static void main(String[] args) throws Exception {\n${statements.join("")}}`;
  await writeFile(file, `${imports.join("\n")}\npublic class Program {\n${main}\n}\n`);
  return (await build.runSource(file, credentials)).split(`${BLOCK_END}\n`).slice(0, -1);
}

/** Builds the C# blocks of a page as one program: `using` lines at the top, and the other lines in Main. */
export async function buildCsharp(build: CsharpBuild, blocks: readonly string[]): Promise<string> {
  const folder = temporaryFolder("gold-csharp-program");
  const isUsing = (line: string) => /^using [\w.]+;$/.test(line);
  const lines = blocks.map((code) => code.split("\n"));
  const usings = [...new Set(lines.flat().filter(isUsing))].join("\n");
  const statements = lines.map((each) =>
    `${each.filter((line) => !isUsing(line)).join("\n")}\nConsole.WriteLine("${BLOCK_END}");\n`
  );
  await writeFile(
    join(folder, "Program.cs"),
    `${usings}\nstatic class Program {\nstatic async Task Main() {\n${statements.join("")}}\n}\n`,
  );
  const assembly = join(build.folder, "GoldPartner/GoldPartner.dll");
  await writeFile(
    join(folder, "Program.csproj"),
    `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <UseAppHost>false</UseAppHost>
    <TargetFramework>netcoreapp3.1</TargetFramework>
  </PropertyGroup>
  <ItemGroup>
    <Reference Include="${assembly}" />
  </ItemGroup>
</Project>
`,
  );
  await build.run("build", folder, "--nologo", "-warnaserror", "-verbosity:quiet");
  return join(folder, "bin/Debug/netcoreapp3.1/Program.dll");
}

/** Runs such a program as the partner whose credentials.json is named, and returns what each block printed. */
export async function runCsharp(build: CsharpBuild, program: string, credentials: string): Promise<string[]> {
  return (await build.runAs(credentials, program)).split(`${BLOCK_END}\n`).slice(0, -1);
}
