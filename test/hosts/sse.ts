import { bearer } from './support.ts';

/** A stream of server-sent events, as a client reads it. */
export interface Stream {
  readonly status: number;
  readonly headers: Headers;
  /** The results so far. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read results of every shape
  readonly received: any[];
  /** Settles when the server has ended the stream. */
  readonly ended: Promise<void>;
  abort(): void;
}

/** Begins an operation and reads its results as they come. */
export async function openStream(
  url: string,
  query: string,
  as?: string,
  by: 'POST' | 'GET' = 'POST',
): Promise<Stream> {
  const controller = new AbortController();
  const headers = { accept: 'text/event-stream', ...bearer(as) };
  const { signal } = controller;
  const response =
    by === 'GET'
      ? await fetch(`${url}?${new URLSearchParams({ query })}`, { headers, signal })
      : await fetch(url, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ query }),
          signal,
        });
  const received: unknown[] = [];
  const read = async (): Promise<void> => {
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        const [, data = ''] = /^event: next\ndata: (.*)$/m.exec(part) ?? [];
        if (data !== '') received.push(JSON.parse(data));
      }
    }
  };
  const ended = read().catch(() => {});
  return { status: response.status, headers: response.headers, received, ended, abort: () => controller.abort() };
}
