/**
 * Takes `rounds` samples of each SDK in rounds of one sample each, so that a busy minute of the machine affects all SDKs
 * equally. Each round begins with another SDK. Returns the samples by name of the SDK.
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
