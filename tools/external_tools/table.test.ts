import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { replaceFolder } from "./folder.ts";
import { downloadModule } from "./go_module.ts";
import { MissingToolError, stampedTool } from "./tool.ts";
import { installTools } from "./table.ts";

function withFolder(use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "tools-test-"));
  try {
    use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Calls `use` with a go on PATH that answers `json`, or without any go. */
function withGo(json: string | undefined, use: (folder: string) => void): void {
  withFolder((folder) => {
    const path = process.env["PATH"];
    if (json !== undefined) {
      writeFileSync(join(folder, "go"), `#!/bin/sh\necho '${json}'`);
      chmodSync(join(folder, "go"), 0o755);
    }
    process.env["PATH"] = json === undefined ? folder : `${folder}${delimiter}${path}`;
    try {
      use(folder);
    } finally {
      process.env["PATH"] = path;
    }
  });
}

/** Returns a tool that writes one file and records each install. */
function countedPart(version: string, installs: string[], path = "data/file") {
  return stampedTool({
    name: "data",
    version,
    install(folder) {
      installs.push(version);
      mkdirSync(join(folder, "data"), { recursive: true });
      writeFileSync(join(folder, path), version);
    },
  }, [path]);
}

describe("stampedTool()", () => {
  it("is installed once, and again for a new version, a new path, a missing file or a missing stamp", () => {
    withFolder((folder) => {
      const installs: string[] = [];
      const ensure = (version: string, path?: string) => {
        const tool = countedPart(version, installs, path);
        if (!tool.isInstalled(folder)) tool.install(folder);
        assert(tool.isInstalled(folder));
      };
      for (const version of ["1", "1", "2"]) ensure(version);
      ensure("2", "data/other");
      assertEquals(installs, ["1", "2", "2"]);
      rmSync(join(folder, "data/other"));
      ensure("2", "data/other");
      rmSync(join(folder, "stamps/data"));
      ensure("2", "data/other");
      assertEquals(installs.length, 5);
    });
  });

  it("is not installed after an install that failed", () => {
    withFolder((folder) => {
      countedPart("1", []).install(folder);
      const failing = stampedTool({ name: "data", version: "1", install: () => assert(false) }, [
        "data/file",
      ]);
      assertThrows(() => failing.install(folder));
      assertEquals(failing.isInstalled(folder), false);
    });
  });
});

describe("downloadModule()", () => {
  const module = { path: "example.com/m", version: "v1.0.0", sum: "h1:right=" };

  it("returns the module's folder if the checksum is the pinned checksum", () => {
    withGo(`{"Dir":"/cache/m","Sum":"h1:right="}`, (folder) => {
      assertEquals(downloadModule(folder, module), "/cache/m");
    });
  });

  it("rejects another checksum, and reports a missing go", () => {
    withGo(`{"Dir":"/cache/m","Sum":"h1:wrong="}`, (folder) => {
      assertThrows(
        () => downloadModule(folder, module),
        Error,
        "checksum h1:wrong=, but h1:right= is pinned",
      );
    });
    withGo(undefined, (folder) => {
      assertThrows(() => downloadModule(folder, module), MissingToolError, "Go was not found on PATH");
    });
  });
});

describe("replaceFolder()", () => {
  it("copies only the named entries, makes them writable, and replaces a link or older content", () => {
    withFolder((folder) => {
      const [source, target] = [join(folder, "source"), join(folder, "target")];
      mkdirSync(join(source, "a/b"), { recursive: true });
      writeFileSync(join(source, "a/b/kept"), "kept", { mode: 0o444 });
      writeFileSync(join(source, "left_out"), "");
      symlinkSync(source, target);
      for (let times = 0; times < 2; times++) {
        replaceFolder(source, target, ["a/b"]);
        assertEquals(readFileSync(join(target, "a/b/kept"), "utf8"), "kept");
        writeFileSync(join(target, "a/b/kept"), "changed");
        assert(!existsSync(join(target, "left_out")) && existsSync(join(source, "left_out")));
      }
      assertThrows(() => replaceFolder(source, target, ["gone"]));
      assertStringIncludes(readFileSync(join(target, "a/b/kept"), "utf8"), "changed");
    });
  });
});

describe("installTools()", () => {
  const broken = (error: Error) => ({
    name: "broken",
    version: "1",
    isInstalled: () => false,
    install: () => {
      throw error;
    },
  });

  it("returns 0 if all tools are installed, 3 if this machine lacks a program, and 1 otherwise", () => {
    withFolder((folder) => {
      const tool = countedPart("1", []);
      assertEquals([installTools(folder, [tool]), installTools(folder, [tool])], [0, 0]);
      assertEquals(installTools(folder, [broken(new MissingToolError("no go"))]), 3);
      assertEquals(installTools(folder, [broken(new Error("no network")), tool]), 1);
    });
  });
});
