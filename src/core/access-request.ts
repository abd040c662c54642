import type { Attributes, Subject } from './principal.ts';

/** The thing acted upon. */
export interface Resource {
  readonly type: string;
  readonly id?: string;
  readonly attributes: Attributes;
}

/** Facts of the moment: AuthZEN calls this "context". */
export interface Environment {
  /** Epoch milliseconds. */
  readonly time: number;
  /** Hour of the day, 0 to 23, in the configured time zone. */
  readonly hour?: number;
  readonly ip?: string;
  readonly userAgent?: string;
  /** Further facts, by name, for example the tenant or the address of a device. */
  readonly attributes?: Attributes;
}

/** The one question: may this subject do this action on this resource, now? */
export interface AccessRequest {
  readonly subject: Subject;
  readonly action: string;
  readonly resource: Resource;
  readonly environment: Environment;
}
