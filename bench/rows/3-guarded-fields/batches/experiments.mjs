import { answers, measure } from './authors.mjs';

const shared = {
  folder: import.meta.url,
  figures: { cpuMs: 'CPU ms', batches: 'batches' },
  nullPair: 'bare',
  timing: { full: { warmUpMs: 400, measureMs: 600 }, quick: { warmUpMs: 20, measureMs: 20 } },
  contestants: ['bare', 'doorward', 'pothos', 'shield-no-cache', 'async-wrapper'],
  answers,
  measure,
  goals: [{ row: '3f', figure: 'batches', ratio: ['doorward', 'bare'], atMost: 1 }],
};

export const experiments = [
  {
    ...shared,
    title: 'the authors of 50 posts through a DataLoader, all fields guarded by a role',
    input: { rule: 'role', guarded: ['Post.title', 'Post.author', 'User.name'] },
  },
  {
    ...shared,
    title: 'the authors of 50 posts through a DataLoader, each guarded by an answer that comes later',
    input: { rule: 'remote', guarded: ['Post.author'] },
  },
];
