import { connect } from "node:net";
import { PARTNERS_FILE } from "./haproxy.ts";
import type { PartnerAddresses } from "./partner_addresses.ts";

const TIMEOUT_MS = 3000;
/**
 * The number of lines per command. HAProxy accepts commands of up to 16 KiB, and a line has at most about 110
 * bytes.
 */
const LINES_PER_COMMAND = 100;

/**
 * Makes HAProxy's map of partners' addresses equal to `wanted`, atomically. Returns false if it was equal
 * already. Reads the map from HAProxy each time, because the map is empty after a restart of HAProxy.
 */
export async function writeAddressMap(socket: string, wanted: PartnerAddresses): Promise<boolean> {
  const maps = await ask(socket, "show map");
  const [, map] = new RegExp(`^(\\d+) \\(.*/${PARTNERS_FILE}\\)`, "m").exec(maps) ?? [];
  if (map === undefined) throw new Error("HAProxy's runtime API lists no map of partners' addresses.");
  const lines = [...wanted].map(([range, partner]) => `${range} ${partner}`).sort();
  const present = (await ask(socket, `show map #${map}`)).split("\n").filter((line) => line !== "")
    .map((line) => line.slice(line.indexOf(" ") + 1)).sort();
  if (present.join("\n") === lines.join("\n")) return false;
  const [, version] = /^New version created: (\d+)$/m.exec(await ask(socket, `prepare map #${map}`)) ?? [];
  for (let at = 0; at < lines.length; at += LINES_PER_COMMAND) {
    const chunk = lines.slice(at, at + LINES_PER_COMMAND).join("\n");
    await sendCommand(socket, `add map @${version} #${map} <<\n${chunk}\n`);
  }
  await sendCommand(socket, `commit map @${version} #${map}`);
  return true;
}

/** Sends a command that has an empty answer on success. */
async function sendCommand(socket: string, command: string): Promise<void> {
  const answer = (await ask(socket, command)).trim();
  if (answer !== "") throw new Error(`HAProxy refused to change its map: ${answer}`);
}

function ask(path: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(path);
    socket.setTimeout(
      TIMEOUT_MS,
      () => socket.destroy(new Error(`HAProxy did not answer within ${TIMEOUT_MS / 1000} s.`)),
    );
    socket.setEncoding("utf8").on("data", (part) => answer += part).on("error", reject);
    socket.on("end", () => resolve(answer));
    // Do not use end(): HAProxy does not answer a client that has closed its side of the connection.
    socket.write(`${command}\n`);
  });
}
