/** How limits move: terms in one or two sentences each. */
export const ALLOCATION = {
  reallocation: ['reallocation', 'The moment, every 10 seconds, at which all current limits are computed anew.'],
  demand: ['demand', 'Seats that executing and waiting requests ask for together.'],
  'high-watermark': ['high watermark', 'The largest seat demand, executing and queued, since the last reallocation.'],
  'average-demand': ['average demand', 'The mean of the seat demand since the last reallocation, weighted by time.'],
  deviation: ['σ, standard deviation', 'How much the seat demand went up and down since the last reallocation.'],
  envelope: ['envelope', 'Average demand plus its standard deviation over the last 10 seconds.'],
  'smoothed-demand': ['smoothed demand', 'Demand as remembered: it rises at once and halves in about five minutes.'],
  target: ['target', 'The seats that a level would like: from smoothed demand, never below what it needs at once.'],
  floor: ['floor', 'The smallest limit of a level at a reallocation: its min, or more while it really used more.'],
  'fair-fraction': [
    'fair fraction p',
    'The one number that divides seats at a reallocation: every level gets p × its target, kept between its floor and its max.',
  ],
  verdict: [
    'verdict',
    'What decided the limit of a level in this reallocation: its floor, its max, or the fair fraction p.',
  ],
  torn: ['torn page', 'One page of metrics that holds values of two reallocations; what spans both is shown with ≈.'],
  sampled: ['≈, sampled', 'Read from pages of metrics, so that what happened between two of them is not known.'],
} as const
