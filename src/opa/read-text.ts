/** Reads a body as UTF-8 text; `undefined` when it is longer than `limit` bytes, and then nothing more of it is read. */
export async function readText(body: AsyncIterable<Uint8Array>, limit: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
