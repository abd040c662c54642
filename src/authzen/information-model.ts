import type { Attributes } from '../core/index.ts';

/** Who asks for access (Authorization API 1.0, "Subject"). An id is unique within its type only. */
export interface AuthzenSubject {
  readonly type: string;
  readonly id: string;
  readonly properties?: Attributes;
}

/** What is to be done ("Action"). */
export interface AuthzenAction {
  readonly name: string;
  readonly properties?: Attributes;
}

/** What it is to be done to ("Resource"). */
export interface AuthzenResource {
  readonly type: string;
  readonly id: string;
  readonly properties?: Attributes;
}

/** One access evaluation request. */
export interface AuthzenEvaluation {
  readonly subject: AuthzenSubject;
  readonly action: AuthzenAction;
  readonly resource: AuthzenResource;
  readonly context: Attributes;
}

/** The path of each API below the base address, and the name of its address in the metadata. */
export const API_PATHS: {
  readonly access_evaluation_endpoint: '/access/v1/evaluation';
  readonly access_evaluations_endpoint: '/access/v1/evaluations';
  readonly search_subject_endpoint: '/access/v1/search/subject';
  readonly search_resource_endpoint: '/access/v1/search/resource';
  readonly search_action_endpoint: '/access/v1/search/action';
} = Object.freeze({
  access_evaluation_endpoint: '/access/v1/evaluation',
  access_evaluations_endpoint: '/access/v1/evaluations',
  search_subject_endpoint: '/access/v1/search/subject',
  search_resource_endpoint: '/access/v1/search/resource',
  search_action_endpoint: '/access/v1/search/action',
});

export type ApiName = keyof typeof API_PATHS;

/** Where the metadata of a base path are: the well-known part stands before it. */
export function metadataPath(basePath: string): string {
  return `/.well-known/authzen-configuration${basePath}`;
}
