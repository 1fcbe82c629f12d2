/** The shop's survey, which opens after an order. The server creates it at start. */
export const SURVEY = {
  name: 'After an order',
  type: 'popover',
  schedule: 'once',
  questions: [
    {
      type: 'rating',
      question: 'How was ordering?',
      display: 'emoji',
      scale: 5,
      lowerBoundLabel: 'Tiresome',
      upperBoundLabel: 'A pleasure',
    },
    { type: 'open', question: 'What should we do better?', optional: true },
  ],
  conditions: { events: { values: [{ name: 'purchase' }] } },
  // The panel is on the right.
  appearance: {
    position: 'left',
    displayThankYouMessage: true,
    thankYouMessageHeader: 'Thank you. We read every answer.',
  },
}
