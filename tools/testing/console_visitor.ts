/** Opens a console with its one-time link. The result loads a page below its secret path, and returns the text. */
export async function visitConsole(link: string): Promise<(path: string) => Promise<string>> {
  const opened = await fetch(link, { redirect: "manual" });
  const [given] = opened.headers.getSetCookie();
  if (given === undefined) throw new Error(await opened.text());
  await opened.body?.cancel();
  const base = new URL(opened.headers.get("location")!, link).href;
  const cookie = given.split(";")[0]!;
  return async (path) => {
    const reply = await fetch(base + path.slice(1), { headers: { cookie } });
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`${path} was answered with ${reply.status}: ${text}`);
    return text;
  };
}
