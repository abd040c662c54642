/** How many runs a property gets: a twentieth under mutation testing, which runs it for every mutant. */
export function runs(usual: number): number {
  return process.env.PROPERTY_RUNS === 'few' ? Math.ceil(usual / 20) : usual;
}
