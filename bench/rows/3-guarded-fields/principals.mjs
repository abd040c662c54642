export const ROLE = 'viewer';

/** May see every guarded field. */
export const viewer = { id: 'a1', roles: [ROLE], attributes: { username: 'ada' } };

/** Known, but may see no guarded field. */
export const stranger = { id: 'b2', roles: ['guest'], attributes: { username: 'bob' } };
