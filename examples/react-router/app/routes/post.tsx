import { type MetaFunction, useParams } from 'react-router'

export const meta: MetaFunction = ({ params }) => [{ title: `Post ${params.slug}` }]

export default function Post() {
  return <h1>Post {useParams().slug}</h1>
}
