import type { Tool } from "./tool.ts";
import { pythonTool } from "./python_package.ts";

/**
 * The schema of payment initiations, as the publisher of the standard published it, and a validator. Both
 * come from outside this project.
 */
export const iso20022: Tool = pythonTool("iso_20022", [
  {
    name: "pain001",
    version: "0.0.74",
    sha256: "21db90d2178b6dbb55dd66dbc5b09421450bb4b1fd2063bd0c34c941db193b04",
  },
  {
    name: "xmlschema",
    version: "4.3.2",
    sha256: "cf5c970a30f6ebcb3da35260e694704cc0b6794d8ace46125bb2a95e38ed9307",
  },
  {
    name: "elementpath",
    version: "5.1.4",
    sha256: "5ec8d7bb44b16c98414a6a95e20cb150f3cbfc3cac65edc14773288c7a937376",
  },
], ["pain001/templates/pain.001.001.09/pain.001.001.09.xsd", "xmlschema", "elementpath"]);
