import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Attributes, isIndeterminate } from '../../core/index.ts';
import type { JsonObject } from '../../core/json-object.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { AuthzenEvaluation } from '../information-model.ts';
import { answered, failure } from './answers.ts';
import { type Decider, withDecider } from './decider.ts';
import type { EndpointSettings } from './options.ts';
import { openPosition, type PagePosition, sealPosition } from './page-token.ts';
import { type EntityReader, invalid, optionalObjectAt } from './read-evaluation.ts';
import type { Candidate, CandidateSource } from './search-source.ts';

export type Searched = 'subject' | 'resource' | 'action';

/** A search as it goes on: what is tried, with which candidates, and what a result looks like. */
interface Plan {
  readonly source: CandidateSource;
  readonly type: string;
  /** What the caller may not change between pages. */
  readonly criteria: Attributes;
  /** Reads a candidate as it would be read in a request. @throws `INPUT_INVALID` */
  evaluationOf(candidate: Candidate): AuthzenEvaluation;
  resultOf(id: string): Readonly<Record<string, string>>;
}

interface Page {
  readonly results: readonly Readonly<Record<string, string>>[];
  /** Where the next page begins; absent when there is none. */
  readonly next?: PagePosition;
}

/** How many candidates are fetched and decided at once. */
const CHUNK = 100;

/**
 * Answers a search: every candidate is decided like an evaluation. A search that cannot decide one of them fails as a
 * whole, since a list that lacks somebody reads like a denial. @throws `INPUT_INVALID`
 */
export async function search(
  searched: Searched,
  body: JsonObject,
  read: EntityReader,
  settings: EndpointSettings,
): Promise<Response> {
  const plan = planOf(searched, body, read, settings);
  const asked = ownProperty(body, 'page') ?? undefined;
  const start = positionOf(body, plan, settings);
  const page = await withDecider(settings, (decider) => pageOf(plan, start, settings, decider)).catch(() => undefined);
  if (page === undefined) return failure(500, 'the search could not be completed');
  const { results, next } = page;
  if (asked === undefined && next === undefined) return answered({ results });
  const next_token = next === undefined ? '' : sealPosition(settings.pageKey, plan.criteria, next);
  return answered({ page: { next_token, count: results.length }, results });
}

/** An id of the entity that is searched for says nothing, and an action search has no action. */
function planOf(searched: Searched, body: JsonObject, read: EntityReader, { search: sources }: EndpointSettings): Plan {
  const { subjects = none, resources = none, actions = [] } = sources;
  const context = read.context(body);
  if (searched === 'action') {
    const subject = read.subject(body);
    const resource = read.resource(body);
    return {
      source: async () => (typeof actions === 'function' ? await actions(resource) : actions).map((id) => ({ id })),
      type: '',
      criteria: { searched, subject, resource, context },
      evaluationOf: ({ id }) => ({ subject, action: read.action({ action: { name: id } }), resource, context }),
      resultOf: (name) => ({ name }),
    };
  }
  const type = read.searchedType(body, searched);
  const action = read.action(body);
  const resultOf = (id: string): Readonly<Record<string, string>> => ({ type, id });
  if (searched === 'subject') {
    const resource = read.resource(body);
    return {
      source: subjects,
      type,
      criteria: { searched, type, action, resource, context },
      evaluationOf: (candidate) => ({
        subject: read.subject({ subject: { type, ...candidate } }),
        action,
        resource,
        context,
      }),
      resultOf,
    };
  }
  const subject = read.subject(body);
  return {
    source: resources,
    type,
    criteria: { searched, type, subject, action, context },
    evaluationOf: (candidate) => ({
      subject,
      action,
      resource: read.resource({ resource: { type, ...candidate } }),
      context,
    }),
    resultOf,
  };
}

function none(): readonly Candidate[] {
  return [];
}

/** A token keeps its limit: a request for the next page may leave it out, and may not change it. */
function positionOf(body: JsonObject, { criteria }: Plan, settings: EndpointSettings): PagePosition {
  const page = optionalObjectAt(body, 'page', 'page');
  const limit = ownProperty(page, 'limit');
  if (limit !== undefined && !(typeof limit === 'number' && Number.isSafeInteger(limit) && limit >= 0)) {
    throw invalid('page.limit', 'must be a whole number, not negative');
  }
  const bounded = limit === undefined ? undefined : Math.min(limit, settings.maxResults);
  const token = ownProperty(page, 'token') ?? '';
  if (token === '') return { limit: bounded ?? settings.maxResults };
  const position = typeof token === 'string' ? openPosition(settings.pageKey, criteria, token) : undefined;
  if (position === undefined) throw invalid('page.token', 'is not one of this search');
  if (bounded !== undefined && bounded !== position.limit) throw invalid('page.limit', 'must stay the same');
  return position;
}

/** Looks for one result more than fits, so that the last page is known to be the last. */
async function pageOf(plan: Plan, start: PagePosition, settings: EndpointSettings, decider: Decider): Promise<Page> {
  const { limit } = start;
  const permitted: string[] = [];
  let after = start.after;
  for (let examined = 0; examined < settings.maxCandidates; ) {
    const chunk = await candidatesAfter(plan, after, Math.min(CHUNK, settings.maxCandidates - examined), decider);
    const answers = await decider.decideAll(chunk.map(plan.evaluationOf));
    for (const [index, decision] of answers.entries()) {
      const id = chunk[index]?.id ?? '';
      if (isIndeterminate(decision)) throw new Error('A candidate could not be decided');
      if (decision.allowed && permitted.length === limit)
        return { results: permitted.map(plan.resultOf), next: { limit, ...(after !== undefined && { after }) } };
      if (decision.allowed) permitted.push(id);
      after = id;
    }
    examined += chunk.length;
    if (chunk.length === 0) return { results: permitted.map(plan.resultOf) };
    // Decisions that wait for nothing would keep every other request waiting.
    await nextTurn();
  }
  return { results: permitted.map(plan.resultOf), next: { limit, ...(after !== undefined && { after }) } };
}

/** A source that lists everything each time is gone through from where the last chunk ended. */
async function candidatesAfter(
  { source, type }: Plan,
  after: string | undefined,
  limit: number,
  { lookUp }: Decider,
): Promise<readonly Candidate[]> {
  const listed = await lookUp(() => source({ type, limit, ...(after !== undefined && { after }) }));
  const last = listed.findIndex(({ id }) => id === after);
  return listed.slice(last + 1, last + 1 + limit).map(({ id, properties = {} }) => ({ id, properties }));
}
