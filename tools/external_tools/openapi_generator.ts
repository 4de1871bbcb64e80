import { mavenTool } from "./maven_artifacts.ts";

/**
 * The generator of clients for Java and C#. Its jar contains most libraries that a generated Java client
 * needs. The other two jars have the rest.
 */
export const openapiGenerator = mavenTool("openapi_generator", [
  {
    group: "org.openapitools",
    artifact: "openapi-generator-cli",
    version: "7.17.0",
    sha256: "25d6bd8273dd2be99979d544b62ea43f0ce1975f1aa582678b5093d1e7fcfce8",
  },
  {
    group: "org.apache.httpcomponents",
    artifact: "httpmime",
    version: "4.5.14",
    sha256: "d401243d5c6eae928a37121b6e819158c8c32ea0584793e7285bb489ab2a3d17",
  },
  {
    group: "jakarta.annotation",
    artifact: "jakarta.annotation-api",
    version: "1.3.5",
    sha256: "85fb03fc054cdf4efca8efd9b6712bbb418e1ab98241c4539c8585bbc23e1b8a",
  },
]);
