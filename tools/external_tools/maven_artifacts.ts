import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceFolder } from "./folder.ts";
import { runInstaller } from "./run_installer.ts";
import { stampedTool, type Tool } from "./tool.ts";

/** A jar on Maven Central. `sha256` is the hash of the jar. */
interface MavenArtifact {
  readonly group: string;
  readonly artifact: string;
  readonly version: string;
  readonly sha256: string;
}

/** Maven downloads this plugin, which copies the jars. */
const COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.0:copy-dependencies";

/** Jars from Maven Central, in the folder `name`. Their own dependencies are not installed. */
export function mavenTool(name: string, artifacts: readonly MavenArtifact[]): Tool {
  const files = artifacts.map(({ artifact, version }) => `${artifact}-${version}.jar`);
  return stampedTool({
    name,
    version: artifacts.map(({ artifact, version }) => `${artifact} ${version}`).join(", "),
    install(folder) {
      const fetched = mkdtempSync(join(tmpdir(), "maven-tool-"));
      try {
        writeFileSync(join(fetched, "pom.xml"), projectOf(artifacts));
        runInstaller("mvn", ["-q", "-B", COPY, `-DoutputDirectory=${fetched}`], {
          cwd: fetched,
          missing:
            "Maven was not found on PATH. It downloads this tool. Install it (Debian: apt-get install maven).",
        });
        artifacts.forEach(({ sha256 }, index) => {
          const found = createHash("sha256").update(readFileSync(join(fetched, files[index]!))).digest("hex");
          if (found !== sha256) {
            throw new Error(`${files[index]} has the SHA-256 ${found}, but ${sha256} is pinned.`);
          }
        });
        replaceFolder(fetched, join(folder, name), files);
      } finally {
        rmSync(fetched, { recursive: true, force: true });
      }
    },
  }, files.map((file) => `${name}/${file}`));
}

const projectOf = (artifacts: readonly MavenArtifact[]) =>
  `
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>tools</groupId><artifactId>tools</artifactId><version>1</version>
  <dependencies>${
    artifacts.map(({ group, artifact, version }) => `
    <dependency>
      <groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>
      <exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>
    </dependency>`).join("")
  }
  </dependencies>
</project>
`.trimStart();
