#include "src/options/options.hpp"

#include "src/support/calendar.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/overloaded.hpp"
#include "src/support/text.hpp"

namespace batfill::options {

namespace {

// Keywords have _ where names have -.
std::string keyword_of(std::string name) {
    std::ranges::replace(name, '-', '_');
    return name;
}

bool is_called(const Option& option, const std::string& name, Writing writing) {
    if (writing != Writing::keywords || option.is_positional) {
        return option.name() == name;
    }
    const std::vector<std::string_view> keywords = split(option.keyword, ',');
    return !name.empty() && std::ranges::find(keywords, name) != keywords.end();
}

}  // namespace

std::string text_of(const Given& given) {
    return std::visit(Overloaded{[](const std::string& text) { return text; },
                                 [](bool flag) { return std::string(flag ? "true" : "false"); },
                                 [](std::int64_t number) { return std::to_string(number); },
                                 [](double number) { return exact(number); }},
                      given);
}

std::optional<Decimal> decimal_in(const std::string& text, const char* least, const char* most) {
    const std::optional<Decimal> number = Decimal::parse(text);
    return number && number->millionths() >= Decimal::parse(least)->millionths() &&
                   number->millionths() <= Decimal::parse(most)->millionths()
               ? number
               : std::nullopt;
}

std::optional<Decimal> factor_in(const std::string& text, const char* least, const char* most) {
    const std::optional<Decimal> factor = decimal_in(text, least, most);
    const auto [digits, exponent] = cut(text, text.find('E') == std::string::npos ? 'e' : 'E');
    const std::size_t point = std::min(digits.find('.'), digits.size());
    const std::size_t end = digits.find_last_not_of('0') + 1;
    const auto decimals = static_cast<long long>(end > point ? end - point - 1 : 0);
    const long long shift = number_in<long long>(exponent.substr(exponent.starts_with('+') ? 1 : 0)).value_or(0);
    refuse_if(factor && decimals - shift > 6, "expected at most six decimals, found '" + text + "'");
    return factor;
}

Duration read_length(const std::string& text, std::optional<Duration> least, std::optional<Duration> most) {
    const std::optional<Duration> length = parse_duration(text);
    refuse_if(!length || (least && *length < *least) || (most && *length > *most),
              "expected a number of seconds" + (least ? " from " + least->to_shortest_string() : "") +
                  (most ? " to " + most->to_shortest_string() : "") +
                  ", or a length with units (90s, 15m, 1h, 30d, 1-12:00:00), found '" + text + "'");
    return *length;
}

Value entries(const std::string& placeholder, const std::string& expected,
              const std::function<void(const std::string&, const std::string&)>& add, Type type, Divider divider) {
    const auto read = [add, divider, expected](const std::string& text) {
        for (const std::string_view part : split(text, ',')) {
            const std::string entry(part);
            const std::size_t at = divider == Divider::first ? entry.find('=') : entry.rfind('=');
            refuse_if(at == std::string::npos || at == 0 || at + 1 == entry.size(),
                      std::string("expected ").append(expected).append(", found '").append(entry).append("'"));
            add(entry.substr(0, at), entry.substr(at + 1));
        }
    };
    return Value(placeholder, read, std::move(type)).repeatable().adding_entries_by(add);
}

std::vector<std::string> arguments_of(const Settings& settings) {
    return mapped(settings, [](const Setting& setting) {
        // One word: a value may begin with a dash.
        return "--" + setting.name + (setting.value ? "=" + *setting.value : "");
    });
}

Option& Options::declare(Option option) {
    option.group = group_;
    option.keyword = keyword_of(option.name());
    options_.push_back(std::move(option));
    return options_.back();
}

Option& Options::add(const std::string& names, const Value& value, const std::string& help) {
    return declare({names, "", "", help, value});
}

Option& Options::add(const std::string& names, bool& flag, const std::string& help) {
    return declare({names, "", "", help, std::nullopt, &flag});
}

Option& Options::add(const std::string& names, const std::string& help) {
    return declare({names, "", "", help, std::nullopt});
}

void Options::add_positional(const std::string& name, const Value& value) {
    declare({name, "", "", "", value}).is_positional = true;
}

std::string Options::written(const Option& option) const {
    switch (writing_) {
        case Writing::arguments:
            return "--" + option.name();
        case Writing::keys:
            return option.name();
        case Writing::keywords:
            break;
    }
    return option.keyword.substr(0, option.keyword.find(','));
}

Option& Options::option_called(const std::string& name) {
    const auto found =
        std::ranges::find_if(options_, [&](const Option& option) { return is_called(option, name, writing_); });
    if (found == options_.end()) {
        std::vector<std::string> known;
        for (const Option& option : options_) {
            const std::string shown = writing_ == Writing::keywords ? written(option) : option.name();
            if (!option.is_positional && !shown.empty()) {
                known.push_back(shown);
            }
        }
        std::ranges::sort(known);
        throw UsageError(unknown_name("option", name, known));
    }
    return *found;
}

void Options::set_entry(const std::string& name, const Given& key, const Given& value) {
    Option& option = option_called(name);
    at(option, [&] {
        refuse_if(!option.value, "expected no value, found a dict");
        option.value->add_entry(text_of(key), text_of(value));
    });
    option.is_given = true;
}

void Options::set(const std::string& name, const Given& given) {
    Option& option = option_called(name);
    at(option, [&] { take(option, given); });
    option.is_given = option.is_given || option.value || std::get<bool>(given);
}

void Options::take(const Option& option, const Given& given) const {
    const bool* const truth = std::get_if<bool>(&given);
    const bool in_call = writing_ == Writing::keywords;
    if (option.value) {
        refuse_if(truth != nullptr, [&] {
            return std::string("expected a value, found ") + (!in_call ? "none" : *truth ? "True" : "False");
        });
        refuse_if(option.is_given && !option.value->is_repeatable(), "expected one value, found 2");
        option.value->read(text_of(given));
        return;
    }
    if (truth == nullptr) {
        const std::string found =
            std::holds_alternative<std::string>(given) ? "'" + text_of(given) + "'" : text_of(given);
        throw UsageError((in_call                     ? "expected True or False, found "
                          : writing_ == Writing::keys ? "expected true or false, found "
                                                      : "expected no value, found ") +
                         found);
    }
    refuse_if(option.is_given, "expected it once, found it twice");
    if (option.flag != nullptr) {
        *option.flag = *truth;
    }
}

void Options::set(const Settings& settings) {
    for (const Setting& setting : settings) {
        set(setting.name, setting.value ? Given(*setting.value) : Given(true));
    }
}

std::string Options::missing() const {
    const auto lacks = [](const Option& option) {
        return option.value && option.value->is_required() && !option.is_given;
    };
    const auto found = std::ranges::find_if(options_, lacks);
    return found == options_.end() ? ""
           : found->is_positional  ? "an argument is missing"
                                   : "the option '" + written(*found) + "' is required but missing";
}

void Options::finish() const {
    const std::string lacks = missing();
    refuse_if(!lacks.empty(), lacks);
    for (const std::function<void()>& check : rules_) {
        check();
    }
}

const Option& Options::find(const std::string& name) const {
    const auto found = std::ranges::find(options_, name, &Option::name);
    assert(found != options_.end());
    return *found;
}

bool Options::given(const std::string& name) const {
    return find(name).is_given;
}

std::string Options::written(const std::string& name) const {
    return written(find(name));
}

}  // namespace batfill::options
