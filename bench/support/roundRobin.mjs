/**
 * Takes `rounds` samples of each SDK, one of each in turn, so that a busy minute of the machine hits all alike. Each
 * round begins with another SDK. Gives SDK name → samples.
 */
export const roundRobin = async (sdks, rounds, measure, say) => {
  const samples = Object.fromEntries(sdks.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    say(`round ${round + 1} of ${rounds}`)
    const first = round % sdks.length
    for (const sdk of [...sdks.slice(first), ...sdks.slice(0, first)]) samples[sdk.name].push(await measure(sdk))
  }
  return samples
}
