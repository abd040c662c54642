import bcrypt from 'bcryptjs';

/** The asynchronous call of bcryptjs, on the thread that also answers requests. */
export const prepare = () => ({ verify: (password, stored) => bcrypt.compare(password, stored), close() {} });
