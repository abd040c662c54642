import type { Dispatcher } from 'undici';
import type { MaybePromise } from '../core/index.ts';
import { exchange } from './exchange.ts';

/** Whether a server is fit to be asked, and if it is not, why. */
export type OpaHealth =
  | { readonly healthy: true }
  | { readonly healthy: false; readonly reason: 'unhealthy' | 'unavailable' | 'timeout' };

export interface HealthSettings {
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  readonly prefix: string;
  readonly authorization: () => MaybePromise<string | undefined>;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
}

/** Asks `GET /health?bundles&plugins`: is the server up, are its bundles activated, are its plugins well. */
export function askHealth(settings: HealthSettings): Promise<OpaHealth> {
  const { dispatcher, origin, prefix, timeoutMs, maxResponseBytes } = settings;
  return new Promise((resolve) => {
    let isOver = false;
    let endCall = (): void => undefined;
    const end = (health: OpaHealth): void => {
      isOver = true;
      clearTimeout(timer);
      resolve(health);
    };
    const fail = (): void => end({ healthy: false, reason: 'unavailable' });
    const timer = setTimeout(() => {
      end({ healthy: false, reason: 'timeout' });
      endCall();
    }, timeoutMs);
    const ask = async (): Promise<void> => {
      const authorization = await settings.authorization();
      if (isOver) return;
      const headers = authorization === undefined ? {} : { authorization };
      const call = { origin, path: `${prefix}/health?bundles&plugins`, method: 'GET', headers } as const;
      endCall = exchange(dispatcher, call, maxResponseBytes, {
        answered: ({ status }) => end(status === 200 ? { healthy: true } : { healthy: false, reason: 'unhealthy' }),
        failed: fail,
      });
    };
    ask().catch(fail);
  });
}
