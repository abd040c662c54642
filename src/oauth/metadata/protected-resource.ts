import { configInvalid, refuseUnknownOptions } from '../../core/config-invalid.ts';
import { isWebAddress } from '../../core/web-address.ts';
import type { Routes } from '../../http/index.ts';
import { pathOf } from '../endpoints.ts';
import { withCors } from './cors.ts';
import { publicJson } from './public-json.ts';

export interface ProtectedResourceOptions {
  /** What the resource is called in `aud`: an address without query and fragment. */
  readonly resource: string;
  /** The issuers whose access tokens it accepts, at least one. */
  readonly authorizationServers: readonly string[];
  /** The scopes that it asks for. @default not told */
  readonly scopes?: readonly string[];
  /** Shown to people. @default not told */
  readonly name?: string;
  /** The address of a page for developers. @default not told */
  readonly documentation?: string;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const OPTIONS: readonly (keyof ProtectedResourceOptions)[] = [
  ...(['resource', 'authorizationServers', 'scopes', 'name', 'documentation'] as const),
];
const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]{1,128}$/;

/**
 * Makes the document by which a client that was refused finds out who issues tokens for a resource: RFC 9728, open
 * to scripts of every origin. The challenges name its address when the gate has it as `resourceMetadata`.
 *
 * @throws `CONFIG_INVALID` for an option that is unknown or cannot be meant.
 * @example
 * const resource = 'https://api.example.org';
 * const routes = protectedResourceRoutes({ resource, authorizationServers: ['https://login.example.org'] });
 * const resourceMetadata = resourceMetadataUrl(resource);
 * const gate = createGate({ authenticate: server.authenticate, pdp, resourceMetadata });
 * const handler = createRouter({ ...routes, 'GET /me': gate.authenticated(() => json(200, {})) });
 */
export function protectedResourceRoutes(options: ProtectedResourceOptions): Routes {
  const bytes = Buffer.from(JSON.stringify(documentOf(options)));
  return withCors({ [`GET ${WELL_KNOWN}${pathOf(options.resource)}`]: () => publicJson(bytes) });
}

/**
 * Tells where the metadata of a resource is: the well-known name stands before the resource's own path (RFC 9728
 * section 3.1).
 *
 * @throws `CONFIG_INVALID` when the resource is no address without query and fragment.
 * @example
 * resourceMetadataUrl('https://api.example.org/v1'); // https://api.example.org/.well-known/oauth-protected-resource/v1
 */
export function resourceMetadataUrl(resource: string): string {
  requireResource(resource);
  return new URL(resource).origin + WELL_KNOWN + pathOf(resource);
}

function documentOf(options: ProtectedResourceOptions): Readonly<Record<string, unknown>> {
  refuseUnknownOptions(options, OPTIONS);
  const { resource, authorizationServers, scopes, name, documentation } = options;
  requireResource(resource);
  if (!isListOf(authorizationServers, isWebAddress) || authorizationServers.length === 0) {
    throw configInvalid('authorizationServers', 'must be a list of issuers, at least one');
  }
  if (scopes !== undefined && !isListOf(scopes, isScopeToken)) throw configInvalid('scopes', 'must be scope tokens');
  if (name !== undefined && (typeof name !== 'string' || name === '')) {
    throw configInvalid('name', 'must be a text that is not empty');
  }
  if (documentation !== undefined && !isWebAddress(documentation)) {
    throw configInvalid('documentation', 'must be an https address, or an http one on this machine');
  }
  return {
    resource,
    authorization_servers: authorizationServers,
    ...(scopes !== undefined && { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
    ...(name !== undefined && { resource_name: name }),
    ...(documentation !== undefined && { resource_documentation: documentation }),
  };
}

/** In its plain form, since a client compares it with its own text, character by character (RFC 9728 section 3.3). */
function requireResource(resource: unknown): void {
  const url = isWebAddress(resource) ? new URL(resource) : undefined;
  const isPlain = url !== undefined && (url.href === resource || url.href === `${resource}/`);
  if (!isPlain || url.href.includes('?')) {
    throw configInvalid('resource', 'must be an https address in its plain form, without query and fragment');
  }
}

function isListOf(list: unknown, isOne: (value: unknown) => boolean): boolean {
  return Array.isArray(list) && list.every(isOne);
}

function isScopeToken(value: unknown): boolean {
  return typeof value === 'string' && SCOPE_TOKEN.test(value);
}
