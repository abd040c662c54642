/** Nobody logs in: what the machine does by itself. */
export const prepare = () => ({ close() {} });
