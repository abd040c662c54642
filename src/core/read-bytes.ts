/**
 * Reads a body; `undefined` when it is longer than `limit` bytes. Reading, and the sender's sending, stop there
 * and then: nothing waits for what is left.
 */
export async function readBytes(body: ReadableStream<Uint8Array>, limit: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  for (;;) {
    const { value } = await reader.read();
    if (value === undefined) return Buffer.concat(chunks, length);
    length += value.byteLength;
    if (length > limit) {
      reader.cancel().catch(() => undefined);
      return undefined;
    }
    chunks.push(value);
  }
}
