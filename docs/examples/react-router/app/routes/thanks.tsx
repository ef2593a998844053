export default function Thanks() {
  return <p>Thank you.</p>;
}
