import React from "react";
export default ({ text }) => <p>{text}</p>;
