import { clientSubject, type Grant } from '../accounts/index.ts';
import type { Settings } from './settings.ts';

/** The `sub` of everything that is said about a grant: its account, or the client that acts for itself. */
export function subjectOf({ account, session }: Grant, { subject }: Pick<Settings, 'subject'>): string {
  if (account === undefined) return clientSubject(session.clientId ?? '');
  return subject === 'id' ? account.id : account.username;
}
