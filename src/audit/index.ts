export { createJsonLinesSink, type JsonLinesSink, type JsonLinesSinkOptions } from './json-lines-sink.ts';
export type { LineStream, WriteLine } from './line-output.ts';
