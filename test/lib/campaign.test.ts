import { arrivalProperties, campaignOf, searchOf } from '../../src/lib/campaign'

test('campaign properties contain only the campaign parameters in the URL', () => {
  expect(campaignOf('https://a.example/?utm_source=news&gclid=1&x=2&utm_medium=')).toEqual({
    utm_source: 'news',
    gclid: '1',
  })
})

test('custom campaign parameters are captured like utm_source', () => {
  expect(campaignOf('https://a.example/?partner=p1', ['partner'])).toEqual({ partner: 'p1' })
})

test.each([
  ['https://www.google.co.uk/search?q=shoes', { $search_engine: 'google', ph_keyword: 'shoes' }],
  ['https://search.yahoo.com/search?p=hats', { $search_engine: 'yahoo', ph_keyword: 'hats' }],
  ['https://duckduckgo.com/', { $search_engine: 'duckduckgo' }],
  ['https://notgoogle.example/?q=x', {}],
  ['', {}],
])('searchOf(%j) returns %j', (referrer, expected) => expect(searchOf(referrer)).toEqual(expected))

test('reads referrer, landing page and campaign of an arrival without empty values', () => {
  expect(arrivalProperties({ r: 'https://www.bing.com/', u: 'https://a.example/b?utm_source=s' }, '$initial_')).toEqual(
    {
      $initial_referrer: 'https://www.bing.com/',
      $initial_referring_domain: 'www.bing.com',
      $initial_current_url: 'https://a.example/b?utm_source=s',
      $initial_host: 'a.example',
      $initial_pathname: '/b',
      $initial_utm_source: 's',
      $initial_search_engine: 'bing',
    },
  )
  expect(arrivalProperties({ r: '$direct', u: 'https://a.example/' }, '$session_entry_')).toEqual({
    $session_entry_referrer: '$direct',
    $session_entry_referring_domain: '$direct',
    $session_entry_url: 'https://a.example/',
    $session_entry_host: 'a.example',
    $session_entry_pathname: '/',
  })
})
