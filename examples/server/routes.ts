import { DoorwardError, isScopeGranted, type PolicyDecisionPoint, type Principal } from 'doorward';
import { bodyLimits, type Gate, json, type Routes, readJson } from 'doorward/http';
import { contractRoles } from 'doorward/rbac';
import type { Data } from '../data/data.ts';
import type { Identity } from '../identity/identity.ts';
import { mayPredict, predict } from '../tools/toy-model.ts';
import { decidePost } from './resolvers.ts';

type Parts = { gate: Gate; data: Data; identity: Identity; documents: PolicyDecisionPoint };

/** The REST routes of the service beside those of `accountRoutes`. */
export function restRoutes({ gate, data, identity, documents }: Parts): Routes {
  return {
    'GET /ml/predict': gate.requireDecision({ ...mayPredict, bodyKey: 'detail' }, (_request, _info, { principal }) =>
      json(200, { user: principal.attributes.username ?? principal.id, prediction: predict(principal.id).result }),
    ),
    'POST /api/ml/predict': gate.requireDecision(mayPredict, async (request, _info, { principal, environment }) => {
      const { input } = await readJson(request, bodyLimits.other);
      const { result, confidence } = predict(JSON.stringify(input) ?? '');
      const timestamp = new Date(environment.time).toISOString();
      return json(200, { user: principal.attributes.username ?? principal.id, input, result, confidence, timestamp });
    }),
    'GET /api/posts': gate.requirePermission('read', async (_request, _info, { principal, environment }) => {
      const visible = (await data.posts()).filter((post) => decidePost(principal, post, environment).allowed);
      return json(200, { posts: visible.map((post) => post.title) });
    }),
    'POST /api/posts': gate.requirePermission('create', async (request, _info, { principal }) => {
      const {
        title = 'Untitled',
        content = '',
        authorId = principal.id,
      } = await readJson(request, bodyLimits.other, { whenEmpty: {} });
      for (const [field, value] of Object.entries({ title, content, authorId })) {
        if (typeof value !== 'string') throw new DoorwardError('INPUT_INVALID', { field, problem: 'must be a string' });
      }
      if (authorId !== principal.id && !mayActForOthers(principal)) {
        throw new DoorwardError('AUTHZ_FORBIDDEN', { problem: 'Requires permission: manage_users' });
      }
      const post = await data.createPost(String(title), String(content), String(authorId));
      if (post === undefined) throw new DoorwardError('INPUT_INVALID', { field: 'authorId', problem: 'is not a user' });
      return json(200, { message: 'Post created' });
    }),
    'DELETE /api/posts/{id}': gate.requirePermission('delete', async (_request, _info, { params }) => {
      if (!(await data.removePost(params.id ?? ''))) throw new DoorwardError('HTTP_NOT_FOUND');
      return json(200, { message: 'Post deleted' });
    }),
    'DELETE /api/users/{id}': gate.requirePermission(
      'manage_users',
      async (_request, info, { params: { id = '' } }) => {
        const removed = [await identity.remove(id, info), await data.removeUser(id)];
        if (!removed.includes(true)) throw new DoorwardError('HTTP_NOT_FOUND');
        return json(200, { message: 'User deleted' });
      },
    ),
    'PATCH /api/users/{id}': gate.requirePermission(
      'manage_users',
      async (request, info, { params }) => {
        const changes = await readJson(request, bodyLimits.auth);
        const account = await identity.accounts.update(params.id ?? '', changes, info);
        if (account === undefined) throw new DoorwardError('HTTP_NOT_FOUND');
        return json(200, account);
      },
      { maxAuthAgeSeconds: 900 },
    ),
    'GET /api/documents/{doc_id}': gate.requireDecision(
      {
        pdp: documents,
        action: 'read',
        resource: async (_request, { doc_id = '' }) => ({
          type: 'document',
          id: doc_id,
          attributes: { ...(await data.document(doc_id)) },
        }),
      },
      (_request, _info, { resource }) => {
        if (resource.attributes.title === undefined) throw new DoorwardError('HTTP_NOT_FOUND');
        return json(200, resource.attributes);
      },
    ),
  };
}

function mayActForOthers(principal: Principal): boolean {
  return contractRoles.can(principal.roles, 'manage_users') && isScopeGranted(principal, 'manage_users');
}
